// Objects pass while the program is down. With failurePolicy=fail all are refused then, even those that start the program.
