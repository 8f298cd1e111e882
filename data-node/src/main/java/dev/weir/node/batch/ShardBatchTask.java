package dev.weir.node.batch;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.CancellableTask;

/**
 * The task of a message that waits for results of a batch. It is cancelled with its parent, and
 * when the gateway's connection closes. Safe on any thread.
 */
final class ShardBatchTask extends CancellableTask {
  private @Nullable Runnable listener;

  ShardBatchTask(
      long id,
      String type,
      String action,
      String description,
      TaskId parent,
      Map<String, String> headers) {
    super(id, type, action, description, parent, headers);
  }

  /** Sets what runs once when the task is cancelled; at once if it is already. */
  void setListener(Runnable action) {
    synchronized (this) {
      listener = action;
    }
    if (isCancelled()) {
      onCancelled();
    }
  }

  @Override
  public boolean shouldCancelChildrenOnCancellation() {
    return false; // the requests of a batch are not its children
  }

  @Override
  protected void onCancelled() {
    Runnable action;
    synchronized (this) {
      action = listener;
      listener = null;
    }
    if (action != null) {
      action.run();
    }
  }
}
