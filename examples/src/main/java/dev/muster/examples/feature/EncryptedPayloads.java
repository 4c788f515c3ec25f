package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.payload.PayloadCipher;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Arguments and results are encrypted before they are stored, so that the database and its backups show neither. A process
 * that has the key sees plain JSON; one that lacks it sees an envelope that names the key.
 *
 * <pre>
 * with the key: "4111-1111" gave "paid with 4111-1111"
 * without the key: readable: false, encrypted with k1: true
 * </pre>
 */
final class EncryptedPayloads implements Example {

    @Job("pay")
    String pay(String card) {
        return "paid with " + card;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        byte[] key = new byte[32]; // in a service: from the setting encryption.keys, or from your key management
        new SecureRandom().nextBytes(key);
        JobId id;
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .payloadCipher(PayloadCipher.aesGcm(Map.of("k1", key), "k1"))
                .register(this)
                .build()) {
            muster.start();
            id = muster.jobs().enqueue("pay", "4111-1111");
            JobInfo job = muster.jobs().await(id, Duration.ofSeconds(30));
            out.println("with the key: " + job.args() + " gave " + job.result().orElseThrow());
        }
        try (Muster stranger = Muster.builder().dataSource(database).build()) {
            String stored = stranger.jobs().find(id).orElseThrow().toString();
            out.println("without the key: readable: " + stored.contains("4111") + ", encrypted with k1: "
                    + stored.contains("\"kid\": \"k1\""));
        }
    }
}
