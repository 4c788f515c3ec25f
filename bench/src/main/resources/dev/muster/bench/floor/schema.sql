-- The reference floor: one live table with a status, and history by day. It is fixed, so that ratios to it
-- stay comparable while Muster's own tables change.
create table job (
  id uuid primary key, run_at timestamptz not null, lease_until timestamptz, worker bigint,
  priority smallint not null, attempt smallint not null default 0, max_attempts smallint not null,
  status "char" not null default 'p', name text not null, queue text not null,
  capability text not null default '', idem_key text, args jsonb not null, tags jsonb, meta jsonb
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000,
        autovacuum_vacuum_insert_threshold=-1, autovacuum_vacuum_cost_delay=1);
create index job_ready on job (queue, capability, priority desc, run_at, id) where status='p';
create unique index job_idem on job (idem_key) where idem_key is not null;
create index job_lease on job (lease_until) where status='r';
create table history (
  id uuid not null, finished_at timestamptz not null, run_at timestamptz not null, worker bigint,
  priority smallint not null, attempt smallint not null, max_attempts smallint not null,
  outcome "char" not null, name text not null, queue text not null, capability text, idem_key text,
  args jsonb not null, tags jsonb, meta jsonb, result jsonb
) partition by range (finished_at);
do $$ begin for d in 0..2 loop
  execute format('create table history_%s partition of history for values from (%L) to (%L)',
    to_char(current_date+d-1,'YYYYMMDD'), current_date+d-1, current_date+d);
  execute format('create index on history_%s (id)', to_char(current_date+d-1,'YYYYMMDD'));
end loop; end $$
