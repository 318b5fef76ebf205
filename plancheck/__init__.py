"""Does a learned context planner beat strong retrieval, and does the gain survive every control."""

from typing import Final

# Here, because a container runs the study from its folder, where nothing is installed under this name.
__version__: Final = "0.1.0"
