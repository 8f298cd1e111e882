package dev.weir.model;

/**
 * The newest cluster state that was read for a request after the request had arrived. The searches
 * of one request share it, so that a missing index costs one reading and not one for each search.
 * Confined to the request's event loop.
 */
public final class ConfirmedState {
  private long version = Long.MAX_VALUE;

  /** The state of this version was read after the request had arrived. */
  public void confirm(long readVersion) {
    version = version == Long.MAX_VALUE ? readVersion : Math.max(version, readVersion);
  }

  /** Returns whether a state of this version is as new as one read for the request. */
  public boolean covers(long otherVersion) {
    return otherVersion >= version;
  }
}
