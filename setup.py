"""Where the package's data comes from: a checkout has topics and profiles at its top, where they are edited.

In a wheel and in an egg they lie in `focused_crawler/shipped/`: nothing else is put at the top of
site-packages.
"""

from setuptools import find_namespace_packages, setup

FROM_THE_TOP = {f"focused_crawler.shipped.{name}": name for name in ("settings_profiles", "topics")}

setup(
    packages=[*find_namespace_packages(include=["focused_crawler*"]), *FROM_THE_TOP],
    package_dir=FROM_THE_TOP,
)
