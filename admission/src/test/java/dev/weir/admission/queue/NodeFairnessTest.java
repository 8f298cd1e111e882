package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.QueuePosition.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The shares of tenants of several nodes: what a tenant gets of one counts at that node alone. */
class NodeFairnessTest extends AdmissionQueueFixture {
  /** A node responds to calls, and each request that is admitted then sends one to it. */
  private void serve(String node, int responses) {
    for (int i = 0; i < responses; i++) {
      answer(node);
      for (QueuePosition<String> position : List.copyOf(decided)) {
        if (position.state() == State.ADMITTED) {
          lane(node).onCallStart();
          searches().release(position);
        }
      }
    }
  }

  private void offerMany(String tenant, int requests, String... calls) {
    for (int i = 0; i < requests; i++) {
      assertThat(offer(tenant, tenant, CHEAP, calls).state()).isEqualTo(State.WAITING);
    }
  }

  private long served(String tenant) {
    return decided().stream().filter(tenant::equals).count();
  }

  @Test
  void doNotChargeATenantAtABusyNodeForWhatIdleNodesDo() {
    fill("busy");
    offerMany("flood", 30, "busy");
    for (int i = 0; i < 100; i++) {
      QueuePosition<String> elsewhere = offer("elsewhere", "spread", CHEAP, "idle" + i % 5);
      assertThat(elsewhere.state()).isEqualTo(State.ADMITTED);
      searches().release(elsewhere);
    }
    offerMany("spread", 10, "busy");
    serve("busy", 10);
    assertThat(served("spread")).isBetween(4L, 6L);
  }

  @Test
  void startANewTenantAtTheLevelOfThoseThatWaitForItsNode() {
    fill("quick", "slow");
    offerMany("one", 30, "slow");
    offerMany("other", 120, "quick");
    serve("quick", 100);
    offerMany("new", 20, "slow");
    serve("slow", 20);
    assertThat(served("new")).isBetween(9L, 11L);
    assertThat(served("one")).isBetween(9L, 11L);
  }

  /** Where it waited first must neither help nor hinder it. */
  @Test
  void startATenantAtEachNodeByWhatItGotThere() {
    fill("quick", "slow");
    offerMany("one", 30, "slow");
    offerMany("other", 160, "quick");
    serve("quick", 100);
    decided.clear();
    offerMany("new", 30, "quick");
    offerMany("new", 30, "slow");
    serve("slow", 20);
    assertThat(served("new")).as("at the slow node").isBetween(9L, 11L);
    decided.clear();
    serve("quick", 20);
    assertThat(served("new")).as("at the quick node").isBetween(9L, 11L);
  }

  @Test
  void chargeARequestAtEachNodeForTheCallsThatGoThere() {
    fill("n1");
    offerMany("narrow", 20, "n1");
    offerMany("wide", 20, "n1", "n2", "n2", "n2");
    serve("n1", 20);
    assertThat(served("wide")).isBetween(9L, 11L);
    offerMany("double", 20, "n1", "n1");
    decided.clear();
    serve("n1", 5 + 5);
    assertThat(served("double")).as("two calls count twice").isBetween(1L, 3L);
  }
}
