with c as materialized (
  select x.* from unnest('{4,3,2,1,0}'::smallint[], ?::bigint[]) as p(prio,mark)
  cross join lateral (
    select j.ctid tid from job j
    where queue='default' and capability='' and priority=p.prio and run_at<=now()
      and run_at>=case when p.mark<0 then '-infinity' else 'epoch'::timestamptz+p.mark*interval '1 microsecond' end
      and status='p'
    order by j.run_at, j.id limit 500 for update skip locked) x
  limit 500),
u as (
  update job set status='r', worker=?, attempt=attempt+1, lease_until=now()+interval '60 s'
  where ctid=any(array(select tid from c)) returning ctid tid,id,priority,run_at),
m as (select priority, max(date_part('epoch',run_at)*1e6-1)::bigint mx from u group by 1)
select (select count(*) from u) as jobs,
  (select array_agg(tid) from u) as tids,
  (select array_agg(id) from u) as ids,
  (select array_agg(coalesce(m.mx,o.mark) order by o.prio desc)
   from unnest('{4,3,2,1,0}'::smallint[], ?::bigint[]) o(prio,mark) left join m on m.priority=o.prio) as marks
