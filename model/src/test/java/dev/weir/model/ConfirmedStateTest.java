package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What was read for one search of a request holds for the others. */
class ConfirmedStateTest {
  @Test
  void coverNothingBeforeTheFirstReading() {
    assertThat(new ConfirmedState().covers(5)).isFalse();
  }

  @Test
  void coverStatesAsNewAsTheNewestReading() {
    ConfirmedState state = new ConfirmedState();
    state.confirm(5);
    state.confirm(4);
    assertThat(state.covers(4)).isFalse();
    assertThat(state.covers(5)).isTrue();
    assertThat(state.covers(6)).isTrue();
  }

  @Test
  void belongToTheWholeRequest() {
    RequestContext request = new RequestContext(Runnable::run, 1, Map.of());
    request.newSubContext().resources().confirmedState().confirm(3);
    assertThat(request.newSubContext().resources().confirmedState().covers(3)).isTrue();
  }
}
