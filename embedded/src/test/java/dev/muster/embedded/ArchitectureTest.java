package dev.muster.embedded;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The embedded server knows nothing of Muster: tests of any project can use it. */
@AnalyzeClasses(packages = "dev.muster.embedded", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.embedded",
                    "com.sun.security..",
                    "org.apache.commons.compress..",
                    "org.tukaani.xz..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");
}
