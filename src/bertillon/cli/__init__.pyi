from .app import COMMANDS as COMMANDS
from .app import FILELESS as FILELESS
from .app import main as main
from .class_options import Choosing as Choosing
from .class_options import read_calibrator as read_calibrator
from .outputs import FigureFormat as FigureFormat
