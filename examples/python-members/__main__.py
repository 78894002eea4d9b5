"""One OrgMember per person. Edit the list; `pulumi preview` shows whom it adds and removes."""

import pulumi
import pulumi_orgseat as orgseat

# The name, which does not change with the email; the email; whether the person gets a seat, which a token requires.
people = [
    ("ada", "ada@acme.example", True),
    ("grace", "grace@acme.example", True),
    ("margaret", "margaret@acme.example", False),
]

members, tokens = {}, {}
for name, email, seat in people:
    member = orgseat.OrgMember(name, email=email, seat=seat, token={} if seat else None)
    members[name] = member.user_id
    if seat:
        tokens[name] = member.token_value

pulumi.export("members", members)
pulumi.export("tokens", tokens)
