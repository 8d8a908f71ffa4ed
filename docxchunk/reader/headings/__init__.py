"""Infer the headings that authors did not mark, from looks, numbers and words: see `infer`."""
