package dev.weir.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.SmallGateway;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.mutation.MutationReport;
import dev.weir.testkit.mutation.MutationRun;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Mutated requests get a status of the class that a node gives them. */
class MutatedRequestsIT {
  private static final Duration TIME = Duration.ofSeconds(8);
  private static final int LANES = 2;
  private static final int MOST_REQUESTS = 20_000;

  @Test
  void answerWithTheStatusClassOfANode() {
    try (SmallGateway gateway = SmallGateway.inFrontOf(SharedCluster.get().seeds());
        RestClient node = new RestClient(SharedCluster.get().node(0).httpUri())) {
      MutationRun run =
          new MutationRun(
              node,
              new InetSocketAddress("127.0.0.1", gateway.uri().getPort()),
              System.out::println);
      MutationReport report =
          run.run(TestSeed.random(MutatedRequestsIT.class).nextInt(), LANES, MOST_REQUESTS, TIME);

      System.out.println(report);
      gateway.assertAlive();
      gateway.assertNothingHeld();
      assertThat(report.refused()).as("refused requests").isEmpty();
      assertThat(report.differences()).as(report.toString()).isEmpty();
    }
  }
}
