package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeConcurrencyLimiterTest extends AdmissionQueueFixture {
  private void respond(NodeThreadPool pool, int costClass, int queue, long millis) {
    NodeConcurrencyLimiter limiter = queues.limiters().limiter("n1", pool);
    for (int i = 0; i < 50; i++) {
      limiter.onCallStart();
      limiter.onResponse(costClass, queue, now - millis * MILLI, true);
    }
  }

  private ResponseTimeTracker times(NodeThreadPool pool) {
    return queues.limiters().responseTimes(pool);
  }

  /** Nodes with the plugin report the queues of gets and writes too. */
  @ParameterizedTest
  @EnumSource
  void learnUnloadedTimesWhileTheReportedQueueIsEmpty(NodeThreadPool pool) {
    respond(pool, CHEAP, 0, 10);
    respond(pool, CHEAP, 50, 900);
    assertThat(times(pool).knownUnloadedNanos(CHEAP)).isEqualTo(10.0 * MILLI);
    assertThat(times(pool).recentNanos()).isGreaterThan(500.0 * MILLI);
  }

  @Test
  void learnUnloadedTimesWhereNoQueueIsReported() {
    for (NodeThreadPool pool : NodeThreadPool.values()) {
      respond(pool, CHEAP, -1, 10);
    }
    assertThat(times(NodeThreadPool.GET).knownUnloadedNanos(CHEAP)).isEqualTo(10.0 * MILLI);
    assertThat(times(NodeThreadPool.WRITE).knownUnloadedNanos(CHEAP)).isEqualTo(10.0 * MILLI);
    assertThat(times(NodeThreadPool.SEARCH).knownUnloadedNanos(CHEAP)).isZero();
  }

  /** Nodes with the plugin report their queue with fetches too. */
  @Test
  void keepFetchesOutOfTheTimesOfQueries() {
    respond(NodeThreadPool.SEARCH, NodeCallType.HITS.costClass(), 0, 40);
    respond(NodeThreadPool.SEARCH, NodeCallType.FETCH.costClass(), 0, 1);
    ResponseTimeTracker times = times(NodeThreadPool.SEARCH);
    assertThat(times.unloadedNanos(NodeCallType.HITS.costClass())).isEqualTo(40.0 * MILLI);
    assertThat(times.unloadedNanos()).isEqualTo(40.0 * MILLI);
    assertThat(times.recentNanos()).isEqualTo(40.0 * MILLI);
  }

  @ParameterizedTest
  @EnumSource
  void tellFetchesFromOtherCallsByTheirCostClasses(NodeCallType type) {
    NodeThreadPool pool = NodeThreadPool.forPhase(type.phase());
    if (pool != null) {
      assertThat(pool.admits(type.costClass())).isEqualTo(type.phase() != Phase.FETCH);
    }
  }

  @Test
  void lowerTheLimitOnceForCallsThatAreRejectedTogether() {
    queues = queues(QueuePolicy.defaults());
    queues.setThreads("n1", NodeThreadPool.SEARCH, 13);
    for (int i = 0; i < 26; i++) {
      lane("n1").onCallStart();
    }
    long sent = now;
    for (int i = 0; i < 26; i++) {
      now += 2 * MILLI;
      lane("n1").onRejection(sent);
    }
    assertThat(lane("n1").inFlight()).isZero();
    assertThat(lane("n1").limit()).isCloseTo(26 * 0.7, within(1e-9));
    lane("n1").onRejection(lane("n1").onCallStart());
    assertThat(lane("n1").limit()).as("a later call").isCloseTo(26 * 0.49, within(1e-9));
  }
}
