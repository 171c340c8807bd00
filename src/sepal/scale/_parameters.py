"""The parameters of functions of rows in partitions, as data: what each may be, and what it means."""

from __future__ import annotations

from sepal.parameters import Parameter

PARTITION_PARAMETERS = (
    Parameter("target", "whole", "the column of the classes, by its name or place", optional=True, looked_up=True),
    Parameter("exact", "flag", "whether every row asks; None lets the plan decide", optional=True),
    Parameter("n_queries", "whole", "rows that ask", at_least=1, optional=True),
    Parameter("n_sample", "whole", "rows that what cannot be added up is learnt from", at_least=1),
    Parameter("n_rows", "whole", "how many rows", at_least=1),
    Parameter("half_width", "number", "how far the ends of an interval may be from its middle", above=0.0, below=0.5),
    Parameter("block_rows", "whole", "rows of a block, the unit of work", at_least=1, optional=True),
    Parameter("k_max", "whole", "neighbours at most", at_least=1, optional=True),
    Parameter("cluster", "word", "the address of a scheduler", optional=True, looked_up=True),
    Parameter("workers", "whole", "worker processes to start on this machine", at_least=1, optional=True),
)
