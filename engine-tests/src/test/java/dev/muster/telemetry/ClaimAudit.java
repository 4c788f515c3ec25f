package dev.muster.telemetry;

import dev.muster.testkit.TestDatabase;
import java.util.Set;
import java.util.TreeSet;

/**
 * What really happened to claims: a trigger of the test records it in the transactions of the nodes, so that the record is exact.
 * Muster itself keeps no such record.
 */
final class ClaimAudit {
    private final TestDatabase database;
    private final String schema;

    ClaimAudit(TestDatabase database, String schema) {
        this.database = database;
        this.schema = schema;
        database.execute("CREATE TABLE audit_claimed (id uuid, token bigint, attempt int, node text)");
        database.execute("CREATE TABLE audit_closed (id uuid, token bigint, how text)");
        database.execute("""
                CREATE FUNCTION audit_claims() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF TG_OP = 'DELETE' THEN
                    IF OLD.token IS NOT NULL THEN
                      INSERT INTO public.audit_closed VALUES (OLD.id, OLD.token, 'ended');
                    END IF;
                    RETURN NULL;
                  END IF;
                  IF OLD.token IS NOT NULL AND NEW.token IS DISTINCT FROM OLD.token THEN
                    INSERT INTO public.audit_closed VALUES (OLD.id, OLD.token,
                      CASE WHEN NEW.crashes > OLD.crashes THEN 'crashed'
                           WHEN NEW.attempt = OLD.attempt THEN 'retried'
                           ELSE 'uncounted' END);
                  END IF;
                  IF NEW.token IS NOT NULL AND NEW.token IS DISTINCT FROM OLD.token THEN
                    INSERT INTO public.audit_claimed VALUES (NEW.id, NEW.token, NEW.attempt, NEW.node_id);
                  END IF;
                  RETURN NULL;
                END $$""");
        database.execute("CREATE TRIGGER audit AFTER UPDATE OR DELETE ON " + schema
                + ".muster_jobs FOR EACH ROW EXECUTE FUNCTION audit_claims()");
    }

    /** Each claim as token, job, attempt and node. */
    Set<String> claimed() {
        return new TreeSet<>(database.column("SELECT concat_ws(' ', token, id, attempt, node) FROM audit_claimed"));
    }

    /** Each closed claim as token and how it was closed: as its job's status in history, or how the job became pending again. */
    Set<String> closed() {
        return new TreeSet<>(database.column(
                "SELECT concat_ws(' ', c.token, coalesce(h.status, c.how)) FROM audit_closed c LEFT JOIN " + schema
                        + ".muster_job_history h ON h.id = c.id AND h.token = c.token AND c.how = 'ended'"));
    }

    /** The jobs that ended without a claim, with their status. */
    Set<String> endedUnclaimed(String status) {
        return new TreeSet<>(database.column("SELECT id::text FROM " + schema
                + ".muster_job_history WHERE token IS NULL AND status = '" + status + "'"));
    }
}
