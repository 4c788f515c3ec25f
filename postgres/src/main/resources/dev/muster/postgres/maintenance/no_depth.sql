-- Sets the depth to zero where no job was due.
UPDATE {schema}.muster_metrics SET depth = 0 WHERE minute = ? AND depth IS NULL
