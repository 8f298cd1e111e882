package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExportSlotsTest {
  @Test
  void boundEachAddressByItself() {
    ExportSlots slots = new ExportSlots();
    assertThat(slots.tryAcquire("10.0.0.1", 2)).isTrue();
    assertThat(slots.tryAcquire("10.0.0.1", 2)).isTrue();
    assertThat(slots.tryAcquire("10.0.0.1", 2)).isFalse();
    assertThat(slots.tryAcquire("10.0.0.2", 2)).isTrue();
    slots.release("10.0.0.1");
    assertThat(slots.tryAcquire("10.0.0.1", 2)).isTrue();
  }
}
