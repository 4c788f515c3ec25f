-- All crons, for people and nodes that start. Along the primary key.
{crons/columns} ORDER BY name
