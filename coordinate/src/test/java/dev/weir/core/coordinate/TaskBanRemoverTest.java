package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.NodeCallException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TaskBanRemoverTest {
  private final CoordinationFixture world = new CoordinationFixture();
  private final TaskBanRemover bans = world.environment.banRemover();

  private void lift() {
    bans.remove(world.sender, "n1", ScriptedSearch.bannable(""), world.context);
  }

  @Test
  void removeTheBanOnce() {
    lift();
    assertThat(bans.pendingRemovals()).isOne();
    world.sender.last().reply("ok");
    assertThat(world.sender.actions()).containsExactly("n1 unban");
    assertThat(bans.pendingRemovals()).isZero();
    assertThat(bans.completedRemovals()).isOne();
  }

  @Test
  void tellsItAgainWhenThatDidNotReachIt() {
    lift();
    world.sender.last().fail(NodeCallException.Kind.CONNECTION_LOST);
    world.pass();
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    world.pass();
    world.sender.last().reply("ok");
    assertThat(world.pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(4));
    assertThat(world.sender.sent).hasSize(3);
    assertThat(bans.completedRemovals()).isOne();
    assertThat(bans.failedRemovals()).isZero();
  }

  @Test
  void giveUpOnALostNode() {
    lift();
    for (int attempt = 1; attempt < 5; attempt++) {
      world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
      world.pass();
    }
    world.sender.last().fail(NodeCallException.Kind.NOT_SENT);
    assertThat(world.isWaiting()).isFalse();
    assertThat(world.sender.sent).hasSize(5);
    assertThat(bans.pendingRemovals()).isZero();
    assertThat(bans.failedRemovals()).isOne();
  }
}
