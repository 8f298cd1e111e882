package dev.weir.core.actions.prune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.bounds.DateBounds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.pruning.DateRangeFieldDomainEvaluator;
import org.opensearch.action.search.pruning.FieldDomainEvaluationContext;
import org.opensearch.action.search.pruning.RangeQueryConstraint;
import org.opensearch.common.geo.ShapeRelation;
import org.opensearch.index.fielddomain.DateRangeFieldDomain;

/** The gateway prunes exactly what OpenSearch's own evaluator of date ranges prunes. */
class QueryTimeRangeTest {
  private static final long NOW = 1_763_775_000_123L; // 2025-11-22T01:30:00.123Z
  private static final long DAY = 86_400_000;
  private static final List<Object> VALUES =
      List.of(
          "now",
          "now-1d/d",
          "now/d",
          "now-36h/h",
          "2025-11-22",
          "2025-11-21T23",
          "2025-11-21T23:59:59.999Z",
          "2025-11-21T23:59:59.999+02:00",
          "2025-11-20||/d",
          "2025-11-20||+1d/M",
          NOW,
          NOW - DAY,
          Long.toString(NOW - 2 * DAY),
          "2025-11",
          "22.11.2025",
          "no date at all");
  private static final List<String> FORMATS =
      List.of("", "", "dd.MM.yyyy", "epoch_millis", "nonsense[");
  private static final List<String> ZONES =
      List.of("", "", "+05:00", "America/New_York", "nowhere");

  private static final String FIELD = "@timestamp";

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static <T> T one(Random random, List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @Test
  void readsRangesAsOpenSearchDoes() {
    int missed = 0;
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      Object lower = random.nextInt(4) == 0 ? null : one(random, VALUES);
      Object upper = lower == null || random.nextBoolean() ? one(random, VALUES) : null;
      RangeQueryConstraint query =
          new RangeQueryConstraint(
              FIELD,
              lower,
              upper,
              random.nextBoolean(),
              random.nextBoolean(),
              orNull(one(random, FORMATS)),
              orNull(one(random, ZONES)),
              random.nextInt(10) == 0 ? ShapeRelation.WITHIN : null);
      long min = NOW - random.nextLong(4 * DAY) / (random.nextBoolean() ? 1 : DAY) * DAY;
      long max = min + random.nextLong(DAY);
      String format = random.nextInt(3) == 0 ? "dd.MM.yyyy||epoch_millis" : "";

      boolean theirs =
          !new DateRangeFieldDomainEvaluator()
              .canMatch(
                  new DateRangeFieldDomain(
                      FIELD,
                      Long.toString(min),
                      Long.toString(max),
                      true,
                      null,
                      orNull(format),
                      "milliseconds"),
                  query,
                  new FieldDomainEvaluationContext(() -> NOW));
      boolean ours =
          new QueryTimeConstraints(List.of(query), () -> NOW)
                  .nonMatchingField(Map.of(FIELD, new DateBounds(min, max, format)))
              != null;
      if (ours) {
        missed++;
        assertThat(theirs).as("seed %s: %s to %s", seed, lower, upper).isTrue();
      } else if (theirs) { // an empty range is left to the shards
        assertThat(bothBounds(lower, upper)).as("seed %s: %s to %s", seed, lower, upper).isTrue();
      }
    }
    assertThat(missed).isGreaterThan(1000);
  }

  private static boolean bothBounds(@Nullable Object lower, @Nullable Object upper) {
    return lower != null && upper != null;
  }

  @Test
  void matchAtTheEdgesOfTheBounds() {
    DateBounds bounds = new DateBounds(100, 200, "epoch_millis");
    assertThat(missed(bounds, 200L, null, true, true)).isFalse();
    assertThat(missed(bounds, 200L, null, false, true)).isTrue();
    assertThat(missed(bounds, 201L, null, true, true)).isTrue();
    assertThat(missed(bounds, null, 100L, true, true)).isFalse();
    assertThat(missed(bounds, null, 100L, true, false)).isTrue();
    assertThat(missed(bounds, null, 99L, true, true)).isTrue();
    assertThat(missed(bounds, 120L, 130L, true, true)).isFalse();
    assertThat(missed(bounds, 300L, 10L, true, true)).isFalse();
  }

  private static boolean missed(
      DateBounds bounds, @Nullable Object from, @Nullable Object to, boolean gte, boolean lte) {
    RangeQueryConstraint query =
        new RangeQueryConstraint(FIELD, from, to, gte, lte, null, null, null);
    return new QueryTimeConstraints(List.of(query), () -> NOW)
            .nonMatchingField(Map.of(FIELD, bounds))
        != null;
  }
}
