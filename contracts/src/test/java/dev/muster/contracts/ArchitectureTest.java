package dev.muster.contracts;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Contracts are about ports of core, whichever class implements them. */
@AnalyzeClasses(packages = "dev.muster.contracts", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..", "org.assertj..", "org.awaitility..", "org.junit..", "java..", "org.jspecify..");

    /** A contract knows no implementation. */
    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.postgres..",
                    "dev.muster.embedded..",
                    "dev.muster.json..",
                    "dev.muster.internal.job.engine..");
}
