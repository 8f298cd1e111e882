package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Kind;
import dev.weir.bluegreen.shadow.Verdict.Reason;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares two clusters' answers to the same read. Used once, by one thread. */
final class AnswerComparison {
  /** What of a search's answer is compared, or says nothing of what was found. */
  private static final Set<String> KNOWN =
      Set.of(
          "took",
          "timed_out",
          "terminated_early",
          "num_reduce_phases",
          "_shards",
          "_clusters",
          "status",
          "hits",
          "aggregations");

  private final Findings findings = new Findings();
  private final HitsComparison hits;
  private final AggregationComparison aggregations;
  private final ColumnsComparison columns;
  private final ReadKind kind;
  private final boolean partial;

  /**
   * How near answers must be.
   *
   * @param aggregations how far their numbers may be apart, as a share of the larger one
   * @param overlap rankings that overlap by so much are alike
   */
  record Tolerances(double aggregations, double overlap) {}

  AnswerComparison(ReadKind kind, Tolerances tolerances, HitsComparison.Paging paging) {
    this.kind = kind;
    this.partial = paging.partial();
    this.hits = new HitsComparison(findings, tolerances.overlap(), paging);
    this.aggregations = new AggregationComparison(findings, hits, tolerances.aggregations());
    this.columns = new ColumnsComparison(findings, aggregations);
  }

  /** What is found. */
  Findings compare(SeenAnswer primary, SeenAnswer shadow) {
    if (SeenAnswer.refuses(primary.status()) || SeenAnswer.refuses(shadow.status())) {
      findings.unfit(Reason.REFUSED);
    } else if (primary.status() != shadow.status()) {
      findings.differs(Kind.STATUS, "status", primary.status(), shadow.status());
    } else if (kind != ReadKind.EXISTS) {
      bodies(primary, shadow);
    }
    return findings;
  }

  private void bodies(SeenAnswer primary, SeenAnswer shadow) {
    byte[] one = primary.body();
    byte[] other = shadow.body();
    if (one == null || other == null) {
      findings.unfit(Reason.LONG_ANSWER);
    } else if (!primary.isJson() || !shadow.isJson()) {
      if (!primary.contentType().equals(shadow.contentType()) || !Arrays.equals(one, other)) {
        findings.unfit(Reason.FORMAT);
      }
    } else {
      try {
        trees(Json.parse(one), Json.parse(other), primary.isError());
      } catch (Json.UnreadableException e) {
        findings.unfit(Reason.UNREADABLE);
      }
    }
  }

  private void trees(Object primary, Object shadow, boolean error) {
    Map<String, Object> one = Json.object(primary);
    Map<String, Object> other = Json.object(shadow);
    if (one == null || other == null) {
      findings.unfit(Reason.FORMAT);
    } else if (error && (one.containsKey("error") || other.containsKey("error"))) {
      errors("", one, other);
    } else {
      switch (kind) {
        case SEARCH -> searches("", one, other);
        case MSEARCH -> items("responses", one, other);
        case MGET -> items("docs", one, other);
        case GET -> documents("", one, other);
        case SOURCE -> source(one, other);
        case COUNT -> counts(one, other);
        case EXISTS -> {
          // has no body
        }
      }
    }
  }

  private static String below(String path, String member) {
    return path.isEmpty() ? member : path + "." + member;
  }

  // Errors: the words of two clusters may name other nodes and indices.

  private void errors(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Object one = type(primary.get("error"));
    Object other = type(shadow.get("error"));
    if (!Json.same(one, other)) {
      findings.differs(Kind.ERROR, below(path, "error"), primary.get("error"), shadow.get("error"));
    }
  }

  private static @Nullable Object type(@Nullable Object error) {
    Map<String, Object> object = Json.object(error);
    return object == null ? error : object.get("type");
  }

  // Searches.

  private void searches(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Reason unfit = unfit(primary);
    if (unfit == null) {
      unfit = unfit(shadow);
    }
    if (unfit != null) {
      findings.unfit(unfit);
      return;
    }
    part(path, "hits", Kind.HITS, primary, shadow);
    if (ColumnsComparison.in(primary) || ColumnsComparison.in(shadow)) {
      columns.compare(primary, shadow);
      return;
    }
    part(path, "aggregations", Kind.AGGREGATIONS, primary, shadow);
    if (!(listsHits(primary) && listsHits(shadow)) && (saysMore(primary) || saysMore(shadow))) {
      findings.unfit(Reason.FORMAT);
    }
  }

  private static boolean listsHits(Map<String, Object> answer) {
    Map<String, Object> found = Json.object(answer.get("hits"));
    return found != null && Json.array(found.get("hits")) != null;
  }

  /** Whether there is something that is not looked at. */
  private static boolean saysMore(Map<String, Object> answer) {
    return !KNOWN.containsAll(answer.keySet());
  }

  private void part(
      String path, String name, Kind of, Map<String, Object> one, Map<String, Object> other) {
    Map<String, Object> mine = Json.object(one.get(name));
    Map<String, Object> theirs = Json.object(other.get(name));
    if (mine == null || theirs == null) {
      if (mine != null || theirs != null) {
        findings.differs(of, below(path, name), mine, theirs);
      }
    } else if (of == Kind.HITS) {
      hits.compare(below(path, name), mine, theirs);
    } else {
      aggregations.compare(below(path, name), mine, theirs);
    }
  }

  /** Why a search's answer says too little; null where it does not. */
  private @Nullable Reason unfit(Map<String, Object> answer) {
    if (Boolean.TRUE.equals(answer.get("timed_out"))) {
      return Reason.TIMED_OUT;
    }
    if (partial && Boolean.TRUE.equals(answer.get("terminated_early"))) {
      return Reason.TERMINATED_EARLY;
    }
    Map<String, Object> shards = Json.object(answer.get("_shards"));
    return shards != null && shards.get("failed") instanceof Number failed && failed.intValue() > 0
        ? Reason.FAILED_SHARDS
        : null;
  }

  private void counts(Map<String, Object> primary, Map<String, Object> shadow) {
    Reason unfit = unfit(primary);
    if (unfit == null) {
      unfit = unfit(shadow);
    }
    Object one = primary.get("count");
    Object other = shadow.get("count");
    if (unfit != null) {
      findings.unfit(unfit);
    } else if (!Json.same(one, other)) {
      findings.differs(Kind.COUNT, "count", one, other);
    }
  }

  // Documents.

  private void documents(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    Object one = primary.get("found");
    Object other = shadow.get("found");
    if (!Json.same(one, other)) {
      findings.differs(Kind.FOUND, below(path, "found"), one, other);
    } else {
      hits.contents(path.isEmpty() ? "document" : path, primary, shadow);
    }
  }

  private void source(Object primary, Object shadow) {
    Json.Place place = Json.difference("_source", primary, shadow);
    if (place != null) {
      findings.differs(Kind.SOURCE, place.path(), place.one(), place.other());
    }
  }

  // Several in one.

  private void items(String name, Map<String, Object> primary, Map<String, Object> shadow) {
    List<Object> one = Json.array(primary.get(name));
    List<Object> other = Json.array(shadow.get(name));
    if (one == null || other == null || one.size() != other.size()) {
      findings.differs(
          Kind.ITEMS, name, one == null ? null : one.size(), other == null ? null : other.size());
      return;
    }
    for (int i = 0; i < one.size(); i++) {
      Map<String, Object> mine = Json.object(one.get(i));
      Map<String, Object> theirs = Json.object(other.get(i));
      if (mine == null || theirs == null) {
        findings.unfit(Reason.FORMAT);
      } else {
        item(name + "[" + i + "]", mine, theirs);
      }
    }
  }

  private void item(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    int one = status(primary);
    int other = status(shadow);
    if (SeenAnswer.refuses(one) || SeenAnswer.refuses(other)) {
      findings.unfit(Reason.REFUSED);
    } else if (one != other) {
      findings.differs(Kind.STATUS, path + ".status", primary.get("status"), shadow.get("status"));
    } else if (primary.containsKey("error") || shadow.containsKey("error")) {
      errors(path, primary, shadow);
    } else if (kind == ReadKind.MSEARCH) {
      searches(path, primary, shadow);
    } else {
      documents(path, primary, shadow);
    }
  }

  private static int status(Map<String, Object> item) {
    return item.get("status") instanceof Number status ? status.intValue() : 0;
  }
}
