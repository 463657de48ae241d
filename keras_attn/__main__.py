"""`python -m keras_attn` is the `keras-attn` command."""

from keras_attn.cli.main import main

main(prog_name="keras-attn")
