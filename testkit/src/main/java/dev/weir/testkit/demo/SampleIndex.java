package dev.weir.testkit.demo;

import java.util.stream.Stream;

/** One index with generated documents. */
interface SampleIndex {
  /** The index's name. */
  String name();

  /** The body that creates it. */
  String creation(int replicas);

  /** The documents. */
  Stream<SampleDocument> documents();

  /**
   * One document.
   *
   * @param id its id, or empty to have one made
   * @param source its JSON, on one line
   */
  record SampleDocument(String id, String source) {}
}
