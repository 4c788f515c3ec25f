-- All crons, for people and nodes that start. Along the primary key.
{crons/parts/columns} ORDER BY name
