package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.SimulatedCluster.Measurements;
import dev.weir.admission.queue.SimulatedCluster.Shape;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.testkit.junit.Drawn;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The goodput under more load than the nodes can serve, in virtual time. */
@Drawn(oneIn = 2)
class OverloadTest {
  private static final double DEADLINE_MILLIS = 1000;

  /** Small nodes that share two cores, the same with fast work, large nodes, and varied work. */
  static Stream<Shape> shapes() {
    return Stream.of(
        new Shape(3, 4, 2, 3, 13, 0.2),
        new Shape(3, 4, 2, 3, 1, 0.8),
        new Shape(6, 13, 78, 3, 20, 0.8),
        new Shape(6, 13, 78, 1, 20, 0.8),
        new Shape(3, 4, 12, 3, 20, 0.5));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void answerAdmittedRequestsInTimeUnderAnyLoad(Shape shape) {
    double seconds = shape.nodes() > 3 ? 5 : 20;
    SimulatedCluster cluster = new SimulatedCluster(shape, QueuePolicy.defaults(), 42);
    Measurements usual = cluster.offer(0.8, 3, seconds, DEADLINE_MILLIS);
    assertThat(usual.refused).isEmpty();
    for (double load : new double[] {1.5, 3}) {
      Measurements much = cluster.offer(load, 6, seconds, DEADLINE_MILLIS);
      assertThat(much.inTime / seconds)
          .as("answered in time at %s", load)
          .isGreaterThan(0.95 * shape.capacity());
      assertThat(much.p99()).as("p99 at %s", load).isLessThan(2.2 * usual.p99());
      assertThat(much.refusedAfter()).as("milliseconds until a rejection").isLessThan(1);
    }
    Measurements after = cluster.offer(0.8, 1, seconds, DEADLINE_MILLIS);
    assertThat(after.refused).isEmpty();
    cluster.drain();
  }

  /** Few requests wait for the same set of nodes, but all wait for some of the same nodes. */
  @Test
  void answerAdmittedRequestsInTimeWithManyIndicesOnDifferentNodes() {
    Shape shape = new Shape(10, 13, 130, 5, 20, 0.5);
    SimulatedCluster cluster = new SimulatedCluster(shape, QueuePolicy.defaults(), 42);
    cluster.spread(200);
    Measurements usual = cluster.offer(0.8, 3, 5, DEADLINE_MILLIS);
    assertThat(usual.refused).isEmpty();
    for (double load : new double[] {1.5, 3}) {
      Measurements much = cluster.offer(load, 2, 5, DEADLINE_MILLIS);
      assertThat(much.inTime / 5.0)
          .as("answered in time at %s", load)
          .isGreaterThan(0.95 * shape.capacity());
      assertThat(much.p99()).as("p99 at %s", load).isLessThan(2.2 * usual.p99());
      assertThat(much.refusedAfter()).as("milliseconds until a rejection").isLessThan(1);
    }
    assertThat(cluster.offer(0.8, 1, 3, DEADLINE_MILLIS).refused).isEmpty();
    cluster.drain();
  }

  /** Holds for any number of requests that start at once, as long as none waits for a second. */
  @ParameterizedTest
  @ValueSource(ints = {32, 64})
  void clientsThatWaitForTheirAnswersAreNoOverload(int clients) {
    SimulatedCluster few =
        new SimulatedCluster(new Shape(3, 4, 2, 3, 6, 0.5), QueuePolicy.defaults(), 42);
    Measurements seen = few.loop(clients, 20);
    assertThat(seen.refused).isEmpty();
    assertThat(seen.answered).hasSizeGreaterThan(1000);
    few.drain();

    SimulatedCluster many =
        new SimulatedCluster(new Shape(10, 4, 40, 5, 20, 0.5), QueuePolicy.defaults(), 42);
    many.spread(200);
    seen = many.loop(clients, 10);
    assertThat(seen.refused).isEmpty();
    assertThat(seen.answered).hasSizeGreaterThan(1000);
    many.drain();
  }

  /** A few go on while the others read what they got, and then all of them come at once. */
  @ParameterizedTest
  @CsvSource({
    "32, 1000, 20",
    "32, 3000, 20",
    "32, 3000, 100",
    "64, 3000, 20",
    "64, 2000, 6",
    "64, 5000, 40"
  })
  void clientsThatComeTogetherAreNoOverload(int clients, long periodMillis, double millis) {
    SimulatedCluster cluster =
        new SimulatedCluster(new Shape(3, 4, 2, 3, millis, 0.5), QueuePolicy.defaults(), 42);
    cluster.pauseTogether(periodMillis, clients - 10);
    Measurements seen = cluster.loop(clients, 60);
    assertThat(seen.refused).isEmpty();
    assertThat(seen.answered).hasSizeGreaterThan(300);
    cluster.drain();
  }

  @ParameterizedTest
  @CsvSource({"32, 100, 20", "32, 100, 100", "64, 50, 20", "64, 200, 20"})
  void clientsThatStartOneAfterAnotherAreNoOverload(
      int clients, long startIntervalMillis, double millis) {
    SimulatedCluster cluster =
        new SimulatedCluster(new Shape(3, 4, 2, 3, millis, 0.5), QueuePolicy.defaults(), 42);
    Measurements seen = cluster.loop(clients, startIntervalMillis, 60);
    assertThat(seen.refused).isEmpty();
    assertThat(seen.answered).hasSizeGreaterThan(300);
    cluster.drain();
  }

  @Test
  void refusesNothingBecauseOfOneSlowNode() {
    SimulatedCluster cluster =
        new SimulatedCluster(new Shape(3, 4, 12, 3, 20, 0.5), QueuePolicy.defaults(), 42);
    cluster.offer(0.5, 1, 3, DEADLINE_MILLIS);
    cluster.slow(0, 4);
    Measurements seen = cluster.offer(0.6, 2, 20, DEADLINE_MILLIS);
    assertThat(seen.refused).isEmpty();
    assertThat(seen.inTime).isGreaterThan((int) (0.98 * seen.offered));
    cluster.drain();
  }

  /**
   * Also where one of five nodes has a third of its speed. A search of five shards takes as long as
   * its slowest call.
   */
  @ParameterizedTest
  @CsvSource({"300, 1, 1", "300, 1, 3", "500, 1, 3", "500, 5, 1", "500, 5, 3", "1000, 5, 3"})
  void answerInTheTargetTimeByLittlesLaw(int targetMillis, int shards, double slowness) {
    Shape shape = new Shape(5, 4, 20, shards, 20, 0.5);
    QueuePolicy policy = QueuePolicies.little(Duration.ofMillis(targetMillis), 2, 1000);
    SimulatedCluster cluster = new SimulatedCluster(shape, policy, 42);
    cluster.slow(2, slowness);
    Measurements seen = cluster.offer(1.5, 10, 20, Double.MAX_VALUE);
    double capacity = shape.capacity() * (4 + 1 / slowness) / 5;
    assertThat(seen.inTime / 20.0).as("answered a second").isGreaterThan(0.85 * capacity);
    assertThat(seen.mean())
        .as("mean response time")
        .isBetween(0.8 * targetMillis, (shards == 1 ? 1.2 : 1.4) * targetMillis);
    assertThat(seen.callMillis.stream().mapToDouble(Double::doubleValue).average().orElse(0))
        .as("mean response time of a call")
        .isBetween(0.8 * targetMillis, 1.2 * targetMillis);
    cluster.drain();
  }

  @Test
  void followTheTargetTimeWhenANodeBecomesSlow() {
    Shape shape = new Shape(5, 4, 20, 1, 20, 0.5);
    QueuePolicy policy = QueuePolicies.little(Duration.ofMillis(400), 2, 1000);
    SimulatedCluster cluster = new SimulatedCluster(shape, policy, 42);
    cluster.offer(1.5, 5, 5, Double.MAX_VALUE);
    cluster.slow(2, 4);
    Measurements seen = cluster.offer(1.5, 3, 10, Double.MAX_VALUE);
    assertThat(seen.mean()).isBetween(0.8 * 400, 1.2 * 400);
    cluster.drain();
  }
}
