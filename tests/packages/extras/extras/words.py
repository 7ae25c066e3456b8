from importlib.resources import files

from bertillon.core import register_catalogue

register_catalogue("extras", files("extras") / "catalogues")
