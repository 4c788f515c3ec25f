package dev.muster.postgres.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MigrationChecksumTest {
    private static final String VIEW = "CREATE OR REPLACE VIEW v AS\nSELECT 1;\n";

    @Test
    void aChangedCommentOrLineEndingIsTheSameText() {
        assertThat(Migrations.checksum("-- What it is for.\n" + VIEW)).isEqualTo(Migrations.checksum(VIEW));
        assertThat(Migrations.checksum(VIEW.replace("\n", "\r\n"))).isEqualTo(Migrations.checksum(VIEW));
    }

    @Test
    void aChangedStatementIsAnotherText() {
        assertThat(Migrations.checksum(VIEW.replace('1', '2'))).isNotEqualTo(Migrations.checksum(VIEW));
    }
}
