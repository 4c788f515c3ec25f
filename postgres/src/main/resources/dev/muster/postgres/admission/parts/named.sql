-- What people call the group of a job.
CASE split_part(job.concurrency_group, '/', 1)
    WHEN 'fifo' THEN 'fifo key ''' || substr(job.concurrency_group, 6) || ''''
    WHEN 'fair' THEN 'fair key ''' || substr(job.concurrency_group, 6) || ''''
    WHEN 'name' THEN split_part(job.concurrency_group, '/', 2)
    ELSE CASE WHEN job.concurrency_group = split_part(job.concurrency_group, '/', 1) || '/' || split_part(job.concurrency_group, '/', 2) THEN ''
              ELSE 'key ''' || substr(job.concurrency_group, length(split_part(job.concurrency_group, '/', 1)) + length(split_part(job.concurrency_group, '/', 2)) + 3) || ''' of ' END
         || split_part(job.concurrency_group, '/', 2) END
