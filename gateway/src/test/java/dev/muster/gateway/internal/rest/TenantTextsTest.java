package dev.muster.gateway.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TenantTextsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "put back in the queue by node eu-1: its args are away: db-7:5432 | put back in the queue, because its node could not run it",
                "node eu-1 died running it | its node died running it",
                "node eu-1 died running it (crash 3); too often to try again | its node died running it (crash 3); too often to try again",
                "node eu-1 stopped while it ran | its node stopped while it ran",
                "node eu-1 was lost, and it is not known whether it had begun to run it | its node was lost, and it is not known whether it had begun to run it",
                "it called System.exit on node eu-1 | it called System.exit",
                "it called System.exit on node eu-1 (crash 2); too often to try again | it called System.exit (crash 2); too often to try again",
                "cancelled: it depends on job 01a1ea67-cd40-7000-9bf5-e28527a7cbef, which is failed | cancelled: it depends on a job, which is failed",
                "java.lang.IllegalStateException: node a | java.lang.IllegalStateException: node a",
                "node is the root | node is the root",
            })
    void anErrorNamesNeitherNodesNorJobsOfOthers(String stored, String shown) {
        assertThat(TenantTexts.error(Optional.of(stored))).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {"gpu | gpu", "gpu&zone=eu | gpu&zone=eu", "gpu@eu-1 | null", "~eu-1 | null", "null | null"})
    void aPlacementThatNamesNodesIsNotShown(String capability, String shown) {
        assertThat(TenantTexts.placement(Optional.ofNullable(capability))).isEqualTo(shown);
    }
}
