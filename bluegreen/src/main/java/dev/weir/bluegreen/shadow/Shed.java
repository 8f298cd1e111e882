package dev.weir.bluegreen.shadow;

/** Why a read that was chosen was not repeated, or its answers not compared. */
enum Shed {
  /** No node of the other cluster can be reached. */
  UNREACHABLE,
  /** The gateway has enough to do for clients. */
  BUSY,
  /** As many repeated reads are under way as may be. */
  IN_FLIGHT,
  /** The copies would take more memory than there is for them. */
  MEMORY,
  /** The request's body is longer than what is kept. */
  LONG_BODY,
  /** The request's body is compressed, and was not decoded. */
  CODED_BODY,
  /** The body of a request was changed on its way to a node: what its client said is not known. */
  RENAMED_BODY,
  /** What the request names can't be said in the names of the other cluster's indices. */
  UNSAYABLE,
  /** The request is bound to a cluster by an id in its body. */
  BOUND,
  /** The client was told that there is no room or no time, or was not known. */
  REFUSED,
  /** The client went away. */
  GONE,
  /** Enough answers wait to be compared. */
  QUEUE,
  /** The gateway stops. */
  CLOSING,
  /** A defect. */
  FAILED
}
