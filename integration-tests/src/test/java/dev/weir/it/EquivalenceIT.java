package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNodes;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.compare.Comparer;
import dev.weir.testkit.compare.Corpus;
import dev.weir.testkit.compare.Report;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway answers as a node does: status, headers that matter, body. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EquivalenceIT {
  private DataNodes nodes = SharedCluster.get();
  private TestBed bed = TestBed.before(nodes.seeds());

  @BeforeAll
  void clusterIsWhole() {
    assertThat(bed.rest().send("GET", "/_cluster/health?wait_for_nodes=3").status()).isEqualTo(200);
  }

  @AfterAll
  void close() {
    bed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"documents", "bulk", "search", "errors", "formats"})
  void answersAsANodeDoes(String corpus) {
    Report report =
        new Comparer(nodes.node(0).http(), bed.uri(), new Random())
            .run(Corpus.resource(Corpus.class, corpus + ".requests"));

    assertThat(report.findings()).as(report.toString()).isEmpty();
    assertThat(report.requests()).isGreaterThan(20);
    bed.assertAtRest();
  }
}
