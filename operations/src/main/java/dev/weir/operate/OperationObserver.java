package dev.weir.operate;

import java.util.List;

/** Is told what an operation does, on its thread. */
public interface OperationObserver {
  /** A moment of a step. */
  enum Moment {
    /** Nothing of it is written. */
    BEFORE,
    /** Its journal is written, if it has one, and the settings that change together with it. */
    BEGUN,
    /** The journal says that the operator's command has begun, and it has not. */
    COMMAND,
    /** It is done, and the journal does not say so yet. */
    DONE
  }

  /** A line for people. */
  void onProgress(String line);

  /** A step has come to a moment. */
  default void onStep(OperationStep step, Moment moment, List<String> batch) {}
}
