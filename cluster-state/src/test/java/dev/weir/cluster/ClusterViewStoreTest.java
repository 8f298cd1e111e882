package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClusterViewStoreTest {
  private final ClusterView first = ClusterView.empty(1);
  private final ClusterView next = ClusterView.empty(2);
  private final ClusterViewStore store = new ClusterViewStore(first);
  private final List<String> called = new ArrayList<>();

  private void addListener(String name) {
    store.addListener((before, now) -> {
      assertThat(before).isSameAs(first);
      assertThat(now).isSameAs(next);
      called.add(name);
    });
  }

  private void addFailingListener(String name, Throwable failure) {
    store.addListener((before, now) -> {
      called.add(name);
      if (failure instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure;
    });
  }

  @Test
  void callEveryListenerWhenOneRunsOutOfMemory() {
    addListener("a");
    OutOfMemoryError error = new OutOfMemoryError("for the test");
    addFailingListener("b", error);
    addListener("c");
    addFailingListener("d", new OutOfMemoryError("a second one"));
    addListener("e");
    assertThatThrownBy(() -> store.replace(next, true)).isSameAs(error);
    assertThat(called).containsExactly("a", "b", "c", "d", "e");
    assertThat(store.newest()).isSameAs(next);
    assertThat(store.firstView()).isCompletedWithValue(next);
  }

  @Test
  void logTheDefectOfOneListenerAlone() {
    addFailingListener("a", new IllegalStateException("for the test"));
    addFailingListener("b", new AssertionError("for the test"));
    addListener("c");
    store.replace(next, true);
    assertThat(called).containsExactly("a", "b", "c");
    assertThat(store.firstView()).isCompletedWithValue(next);
  }

  @Test
  void tellListenersBeforeRequestsGetTheView() {
    store.addListener(
        new ClusterViewListener() {
          @Override
          public void beforeChange(ClusterView before, ClusterView view) {
            assertThat(before).isSameAs(first);
            assertThat(view).isSameAs(next);
            assertThat(store.newest()).isSameAs(first);
            called.add("before");
            throw new IllegalStateException("for the test");
          }

          @Override
          public void onChange(ClusterView before, ClusterView now) {
            assertThat(store.newest()).isSameAs(next);
            called.add("after");
          }
        });
    store.replace(next, false);
    assertThat(called).isEmpty();
    store.replace(first, false);
    store.replace(next, true);
    assertThat(called).containsExactly("before", "after");
  }

  @Test
  void callNoListenerForAConfirmedView() {
    addListener("a");
    store.replace(next, false);
    assertThat(called).isEmpty();
    assertThat(store.firstView()).isNotDone();
  }
}
