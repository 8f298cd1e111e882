package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.simulation.OpenSearchNodeRank.Formula;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ranks of OpenSearch 3.8 and Elasticsearch 9.5. */
final class PublishedRankTest {
  private static final double MILLI = 1e6;

  private static double rank(Formula formula, double queue, double response, double service) {
    OpenSearchNodeRank rank = new OpenSearchNodeRank(formula);
    rank.addResponse(queue, response * MILLI, service * MILLI);
    return rank.rank(2, 3);
  }

  @Test
  void leaveOutResponseAndServiceTimeInElasticsearch() {
    // qhat = 1 + 2 * 3 + 1
    assertThat(rank(Formula.ELASTICSEARCH_9_5, 1, 50, 20)).isEqualTo(512 * 20.0);
    assertThat(rank(Formula.ELASTICSEARCH_9_5, 1, 5000, 20)).isEqualTo(512 * 20.0);
    assertThat(rank(Formula.OPENSEARCH_3_8, 1, 50, 20)).isEqualTo(50 - 0.05 + 512 / 20.0);
  }

  @Test
  void rankASlowerNodeBetterUnderQueueingInOpenSearchOnly() {
    assertThat(rank(Formula.OPENSEARCH_3_8, 20, 50, 40))
        .isLessThan(rank(Formula.OPENSEARCH_3_8, 20, 50, 20));
    assertThat(rank(Formula.ELASTICSEARCH_9_5, 20, 50, 40))
        .isGreaterThan(rank(Formula.ELASTICSEARCH_9_5, 20, 50, 20));
  }

  @ParameterizedTest
  @EnumSource
  void stayFiniteWithExtremeReports(Formula formula) {
    assertThat(rank(formula, 0, 0, 0)).isFinite();
    assertThat(rank(formula, 1e6, 1e9, 1e9)).isFinite();
    assertThat(rank(formula, 0.9, 1, 1)).isEqualTo(rank(formula, 0, 1, 1));
  }

  @ParameterizedTest
  @EnumSource
  void countOnlyResponsesAsObservations(Formula formula) {
    OpenSearchNodeRank winner = new OpenSearchNodeRank(formula);
    OpenSearchNodeRank loser = new OpenSearchNodeRank(formula);
    winner.addResponse(0, MILLI, MILLI);
    loser.addResponse(9, 9 * MILLI, 9 * MILLI);
    double before = loser.rank(1, 2);
    loser.adjustToward(winner);
    assertThat(loser.rank(1, 2)).isNotEqualTo(before);
    assertThat(loser.responses()).isEqualTo(1);
  }
}
