package dev.weir.http.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExchangeStateTest {
  private static Set<ExchangeState> movesFrom(ExchangeState state) {
    Set<ExchangeState> next = EnumSet.noneOf(ExchangeState.class);
    for (ExchangeState other : ExchangeState.values()) {
      if (state.canMoveTo(other)) {
        next.add(other);
      }
    }
    return next;
  }

  @Test
  void endOnceFromEveryState() {
    for (ExchangeState state : ExchangeState.values()) {
      assertThat(state.canMoveTo(ExchangeState.ENDED)).isEqualTo(state != ExchangeState.ENDED);
    }
    assertThat(movesFrom(ExchangeState.ENDED)).isEmpty();
  }

  @Test
  void giveUpANodesResponseOnlyForAnotherTry() {
    assertThat(movesFrom(ExchangeState.RELAYING))
        .containsExactlyInAnyOrder(ExchangeState.PROXYING, ExchangeState.ENDED);
  }

  @Test
  void keepTheGatewaysOwnResponse() {
    assertThat(movesFrom(ExchangeState.RESPONDING)).containsExactly(ExchangeState.ENDED);
  }

  @Test
  void needNodesHeadersBeforeRelaying() {
    assertThat(movesFrom(ExchangeState.RECEIVING)).doesNotContain(ExchangeState.RELAYING);
    assertThat(movesFrom(ExchangeState.PROXYING)).containsExactlyInAnyOrder(ExchangeState.values());
  }

  @Test
  void haveAResponseFromItsHeadersOn() {
    assertThat(ExchangeState.RECEIVING.hasResponse()).isFalse();
    assertThat(ExchangeState.PROXYING.hasResponse()).isFalse();
    assertThat(ExchangeState.RELAYING.hasResponse()).isTrue();
    assertThat(ExchangeState.RESPONDING.hasResponse()).isTrue();
    assertThat(ExchangeState.ENDED.hasResponse()).isTrue();
  }
}
