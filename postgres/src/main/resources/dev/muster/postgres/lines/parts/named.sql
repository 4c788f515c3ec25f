-- What people call the line of a job.
CASE split_part(job.line, '/', 1)
    WHEN 'fifo' THEN 'fifo key ''' || substr(job.line, 6) || ''''
    WHEN 'fair' THEN 'fair key ''' || substr(job.line, 6) || ''''
    WHEN 'name' THEN split_part(job.line, '/', 2)
    ELSE CASE WHEN job.line = split_part(job.line, '/', 1) || '/' || split_part(job.line, '/', 2) THEN ''
              ELSE 'key ''' || substr(job.line, length(split_part(job.line, '/', 1)) + length(split_part(job.line, '/', 2)) + 3) || ''' of ' END
         || split_part(job.line, '/', 2) END
