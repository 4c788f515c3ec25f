package dev.muster.examples;

import dev.muster.job.Job;
import dev.muster.job.JobContext;

/** A job that takes a while, and says how far it is. */
public final class Catalog {

    /**
     * @param articleMs how long one article takes; 100 unless given
     */
    public record Import(int articles, Long articleMs) {}

    public record Imported(int articles) {}

    @Job("import_catalog")
    Imported importCatalog(JobContext ctx, Import args) throws InterruptedException {
        ctx.log().info("importing " + args.articles() + " articles");
        for (int article = 1; article <= args.articles(); article++) {
            Thread.sleep(args.articleMs() == null ? 100 : args.articleMs());
            ctx.progress((int) (100L * article / args.articles()), "article " + article + " of " + args.articles());
        }
        ctx.log().info("imported all of them");
        return new Imported(args.articles());
    }
}
