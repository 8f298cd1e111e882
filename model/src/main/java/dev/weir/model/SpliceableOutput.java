package dev.weir.model;

/** An output of an answer that takes parts of it unread. Used by the thread that writes it. */
public interface SpliceableOutput {
  /** Puts a part after what was written so far; it is read when the client takes it. */
  void splice(ResponseBody part);
}
