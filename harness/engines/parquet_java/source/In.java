package colconf;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators;

/** IN of FilterApi, which parquet-java has since 1.12.1. */
class In {
    static FilterPredicate in(Operators.Column column, Set constants) {
        Method[] methods = FilterApi.class.getMethods();
        for (int i = 0; i < methods.length; i++) {
            if (!methods[i].getName().equals("in")) continue;
            try {
                return (FilterPredicate) methods[i].invoke(null, new Object[] {column, constants});
            } catch (IllegalAccessException error) {
                throw new IllegalStateException(error);
            } catch (InvocationTargetException error) {
                throw new IllegalArgumentException(error.getCause());
            }
        }
        throw new Unsupported("FilterApi of this version has no IN");
    }
}
