/**
 * Documents that nodes with the plugin return as columns of doc values: the call in place of the
 * fetch phase's, the columns as read from the replies, and the page of rows that they form. Hits
 * are made of them only on demand.
 *
 * <p>Used on the request's event loop; replies are read on the channel's event loop.
 */
@NullMarked
package dev.weir.core.reduce.columns;

import org.jspecify.annotations.NullMarked;
