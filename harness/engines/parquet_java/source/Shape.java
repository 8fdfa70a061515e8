package colconf;

import org.apache.parquet.example.data.Group;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.Type;

/**
 * How the groups of a field become tagged values: the rules of LogicalTypes.md, "Nested Types", which the Group
 * object model leaves to its caller.
 */
public class Shape {
    private static final int LEAF = 0, STRUCT = 1, LIST = 2, MAP = 3;
    public final String type;
    private final boolean repeated;
    private final int kind;
    private final Leaf leaf;
    private final Shape[] children;
    private final boolean wrapped; // the element of a list is the only field of the repeated group

    /** The shape of a field. Without `asField`, of one of its values: what repeats it is a list around it. */
    public Shape(Type field, boolean asField) {
        repeated = asField && field.isRepetition(Type.Repetition.REPEATED);
        String annotation = Leaf.name(field.getLogicalTypeAnnotation());
        Shape[] inner = new Shape[0];
        String own;
        boolean wraps = false;
        if (field.isPrimitive()) {
            kind = LEAF;
            leaf = new Leaf(field.asPrimitiveType());
            own = leaf.type;
        } else {
            leaf = null;
            GroupType group = field.asGroupType();
            if (annotation.equals("List")) {
                kind = LIST;
                Type repeats = only(group, annotation);
                wraps = !isElement(group, repeats);
                inner = new Shape[] {wraps
                    ? new Shape(repeats.asGroupType().getType(0), true) : new Shape(repeats, false)};
                own = Tagged.nested("list", new String[] {"element"}, new String[] {inner[0].type});
            } else if (annotation.equals("Map") || annotation.equals("MapKeyValue")) {
                kind = MAP;
                inner = entry(only(group, annotation));
                String value = inner.length == 1 ? Tagged.type("null") : inner[1].type;
                own = Tagged.nested("map", new String[] {"key", "value"}, new String[] {inner[0].type, value});
            } else {
                kind = STRUCT;
                inner = fields(group);
                own = Tagged.nested("struct", names(group), types(inner));
            }
        }
        children = inner;
        wrapped = wraps;
        type = repeated ? Tagged.nested("list", new String[] {"element"}, new String[] {own}) : own;
    }

    public static Shape[] fields(GroupType group) {
        Shape[] out = new Shape[group.getFieldCount()];
        for (int i = 0; i < out.length; i++) out[i] = new Shape(group.getType(i), true);
        return out;
    }

    public static String[] names(GroupType group) {
        String[] out = new String[group.getFieldCount()];
        for (int i = 0; i < out.length; i++) out[i] = group.getType(i).getName();
        return out;
    }

    public static String[] types(Shape[] shapes) {
        String[] out = new String[shapes.length];
        for (int i = 0; i < out.length; i++) out[i] = shapes[i].type;
        return out;
    }

    private static Type only(GroupType group, String annotation) {
        Type field = group.getFieldCount() == 1 ? group.getType(0) : null;
        if (field == null || !field.isRepetition(Type.Repetition.REPEATED)) {
            throw new Unsupported("a " + annotation + " without its one repeated field, " + group.getName()
                + ", is nothing to the Group object model, which knows no lists and maps");
        }
        return field;
    }

    /** The backward-compatibility rules of "Lists", in their order. */
    private static boolean isElement(GroupType list, Type repeats) {
        if (repeats.isPrimitive() || repeats.asGroupType().getFieldCount() > 1) return true;
        String name = repeats.getName();
        return repeats.asGroupType().getType(0).isRepetition(Type.Repetition.REPEATED)
            || name.equals("array") || name.equals(list.getName() + "_tuple");
    }

    private static Shape[] entry(Type repeats) {
        Shape[] out = repeats.isPrimitive() ? new Shape[0] : fields(repeats.asGroupType());
        if (out.length < 1 || out.length > 2 || out[0].repeated) {
            throw new Unsupported("a Map without entries of a key and at most a value is nothing to the Group model");
        }
        return out;
    }

    /** Appends the value of field `field` of a group. */
    public void append(StringBuilder out, Group parent, int field) {
        int count = parent.getFieldRepetitionCount(field);
        if (!repeated) {
            if (count == 0) out.append("null");
            else appendValue(out, parent, field, 0);
            return;
        }
        out.append('[');
        for (int i = 0; i < count; i++) {
            if (i > 0) out.append(',');
            appendValue(out, parent, field, i);
        }
        out.append(']');
    }

    private void appendValue(StringBuilder out, Group parent, int field, int index) {
        if (kind == LEAF) {
            leaf.append(out, parent, field, index);
            return;
        }
        Group group = (Group) parent.getGroup(field, index);
        out.append('[');
        if (kind == STRUCT) {
            appendFields(out, group);
        } else {
            int count = group.getFieldRepetitionCount(0);
            for (int i = 0; i < count; i++) {
                if (i > 0) out.append(',');
                if (kind == LIST) {
                    if (wrapped) children[0].append(out, (Group) group.getGroup(0, i), 0);
                    else children[0].appendValue(out, group, 0, i);
                } else {
                    out.append('[');
                    appendFields(out, (Group) group.getGroup(0, i));
                    out.append(children.length == 1 ? ",null]" : "]");
                }
            }
        }
        out.append(']');
    }

    private void appendFields(StringBuilder out, Group group) {
        for (int i = 0; i < children.length; i++) {
            if (i > 0) out.append(',');
            children[i].append(out, group, i);
        }
    }
}
