with d as (
  delete from job j using unnest(?::tid[],?::uuid[]) u(tid,id)
  where j.ctid=u.tid and j.id=u.id and j.worker=? and j.attempt=1 returning j.*)
insert into history(id,finished_at,run_at,worker,priority,attempt,max_attempts,outcome,name,queue,capability,
  idem_key,args,tags,meta,result)
select id,now(),run_at,worker,priority,attempt,max_attempts,'d',name,queue,nullif(capability,''),
  idem_key,args,tags,meta,null from d
