insert into job(id,name,queue,capability,priority,run_at,args,max_attempts,idem_key,tags,meta)
select uuidv7(),'send-confirmation','default','',i%5,now(),
  ('{"order": '||100000+i||', "email": "user'||i||'@example.com", "kind": "confirmation", "note": "abcdefghij"}')::jsonb,
  5,null,null,null
from generate_series(1,?::int) i
