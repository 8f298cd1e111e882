package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.NodeFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TaskBansTest {
  private final TestWorld world = new TestWorld();
  private final TaskBans bans = world.environment.bans();

  private void lift() {
    bans.lift(world.sender, "n1", ScriptedSearch.bannable(""), world.context);
  }

  @Test
  void tellsTheNodeOnceThatHearsIt() {
    lift();
    assertThat(bans.unlifted()).isOne();
    world.sender.last().reply("ok");
    assertThat(world.sender.actions()).containsExactly("n1 unban");
    assertThat(bans.unlifted()).isZero();
    assertThat(bans.lifted()).isOne();
  }

  @Test
  void tellsItAgainWhenThatDidNotReachIt() {
    lift();
    world.sender.last().fail(NodeFailure.Kind.CONNECTION_LOST);
    world.pass();
    world.sender.last().fail(NodeFailure.Kind.NOT_SENT);
    world.pass();
    world.sender.last().reply("ok");
    assertThat(world.pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(4));
    assertThat(world.sender.sent).hasSize(3);
    assertThat(bans.lifted()).isOne();
    assertThat(bans.lost()).isZero();
  }

  @Test
  void givesANodeUpThatIsGone() {
    lift();
    for (int attempt = 1; attempt < 5; attempt++) {
      world.sender.last().fail(NodeFailure.Kind.NOT_SENT);
      world.pass();
    }
    world.sender.last().fail(NodeFailure.Kind.NOT_SENT);
    assertThat(world.isWaiting()).isFalse();
    assertThat(world.sender.sent).hasSize(5);
    assertThat(bans.unlifted()).isZero();
    assertThat(bans.lost()).isOne();
  }
}
