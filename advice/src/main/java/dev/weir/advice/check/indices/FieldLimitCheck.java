package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Mappings that grow towards the limit of fields. */
public final class FieldLimitCheck implements Check {
  /** From here on, a day of new fields can reach the limit. */
  static final double ADVICE_SHARE = 0.8;

  /** From here on, the next document may be rejected. */
  static final double PROBLEM_SHARE = 0.95;

  private static final long DEFAULT_LIMIT = 1000;

  @Override
  public String name() {
    return "field-limit";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES, ApiSource.INDEX_SETTINGS, ApiSource.MAPPINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      long limit =
          Long.parseLong(
              index.setting("index.mapping.total_fields.limit", Long.toString(DEFAULT_LIMIT)));
      int fields = index.mapping().fields();
      String dynamic = index.mapping().dynamic();
      boolean takesNewFields = dynamic.isEmpty() || dynamic.equals("true");
      if (takesNewFields && fields >= limit * ADVICE_SHARE && !index.isNoLongerWritten()) {
        findings.add(
            new Finding(
                name(),
                fields >= limit * PROBLEM_SHARE ? Severity.PROBLEM : Severity.ADVICE,
                index.name(),
                fields + " fields of " + limit + " (expected: 80 % at most)",
                "Documents with a field beyond the limit are rejected. Each keyword field takes"
                    + " about 1 KB of heap in every segment.",
                Mend.of(
                        "New fields then stay in _source and are not searchable. For keys that"
                            + " vary, use one field of type flat_object.")
                    .call(
                        "PUT",
                        "/" + Mend.encode(index.name()) + "/_mapping",
                        "{\"dynamic\": \"false\"}")));
      }
    }
    return findings;
  }
}
