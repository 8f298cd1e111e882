package dev.weir.testkit.compare;

import java.util.List;

/**
 * The corpora that come with the testkit, each a resource {@code NAME.requests} beside this class.
 */
public final class Corpora {
  private static final List<String> NAMES =
      List.of(
          "documents",
          "documents-single",
          "documents-missing",
          "documents-routing",
          "documents-blocks",
          "documents-data-streams",
          "documents-pipelines",
          "documents-mappings",
          "update",
          "mget",
          "bulk",
          "bulk-shapes",
          "bulk-actions",
          "bulk-bodies",
          "search",
          "search-indices",
          "search-parameters",
          "search-queries",
          "search-sorts",
          "search-aggregations",
          "search-features",
          "search-failures",
          "search-counts",
          "search-many",
          "scroll-pit",
          "errors",
          "formats");

  private Corpora() {}

  /** Their names. */
  public static List<String> names() {
    return NAMES;
  }

  /** The scenarios of one. */
  public static List<Scenario> scenarios(String name) {
    return Corpus.resource(Corpora.class, name + ".requests");
  }
}
