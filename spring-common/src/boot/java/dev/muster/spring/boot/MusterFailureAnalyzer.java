package dev.muster.spring.boot;

import dev.muster.runtime.MusterException;
import dev.muster.spring.internal.StartAdvice;
import dev.muster.spring.internal.StartProblem;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints why Muster did not start, without a stack trace: its exceptions say what to do. */
final class MusterFailureAnalyzer extends AbstractFailureAnalyzer<MusterException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MusterException cause) {
        return new FailureAnalysis(StartProblem.describe(cause), StartAdvice.about(cause), cause);
    }
}
