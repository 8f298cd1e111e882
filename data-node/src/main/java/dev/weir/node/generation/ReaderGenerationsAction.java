package dev.weir.node.generation;

import org.opensearch.action.ActionType;

/**
 * Answers the generations of the readers of copies, and the ranges of their date fields. Its name
 * makes it a right of users that may read the indices, because ranges are read from documents.
 */
public final class ReaderGenerationsAction extends ActionType<ReaderGenerationsResponse> {
  /** The name on the wire. */
  public static final String NAME = "indices:data/read/weir/reader_generations";

  /** The only instance. */
  public static final ReaderGenerationsAction INSTANCE = new ReaderGenerationsAction();

  private ReaderGenerationsAction() {
    super(NAME, ReaderGenerationsResponse::new);
  }
}
