from .app import make_app as make_app
from .desk import Desk as Desk
from .guards import Limits as Limits
from .server import Listening as Listening
from .server import serve as serve
from .tokens import ROLES as ROLES
from .tokens import Token as Token
from .tokens import Tokens as Tokens
