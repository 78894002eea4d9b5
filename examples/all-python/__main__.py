"""Each resource and each lookup once. The pages in docs/resources describe their inputs and outputs."""

import pulumi
import pulumi_orgseat as orgseat

# Lookups read what exists, in previews too.
service_accounts = orgseat.get_service_accounts().service_accounts
users = orgseat.get_users().users
servers = orgseat.get_model_servers(tag="code").model_servers
models = orgseat.get_models(downloaded=True).models
model = orgseat.get_model(model_id="wick-chat-8b")
model_files = orgseat.get_model_files(model_id="wick-chat-8b").model_files
vector_tables = orgseat.get_vector_tables().vector_tables

# The administrator's username and password create a service account; members need one.
account = orgseat.ServiceAccount("ci", name="ci")

# A person, in three resources and in one.
user = orgseat.OrgUser("ada", email="ada@acme.example")
seat = orgseat.SeatAssignment("ada", user_id=user.user_id)
# The user ID of the seat: so Pulumi revokes the token before it removes the seat.
token = orgseat.UserToken("ada", user_id=seat.user_id)
member = orgseat.OrgMember("grace", email="grace@acme.example", seat=True, token={"rotate_every": "90d"})

# Invites people without an account, by email.
team = orgseat.Onboarding("team", emails=["margaret@acme.example"])

# `on_delete` says what happens in the service when a resource leaves the program.
server = orgseat.ModelServer("server", server_id=servers[0].id, on_delete="retain")
table = orgseat.VectorTable(
    "handbook",
    name="handbook",
    schema={"columns": [{"name": "title", "type": "text"}]},
    data=[{"title": "Welcome"}],
    on_delete="delete",
)

pulumi.export("serviceAccounts", service_accounts)
pulumi.export("users", users)
pulumi.export("servers", servers)
pulumi.export("models", models)
pulumi.export("model", model)
pulumi.export("modelFiles", model_files)
pulumi.export("vectorTables", vector_tables)
pulumi.export("clientId", account.client_id)
pulumi.export("adaToken", token.value)
pulumi.export("graceId", member.user_id)
pulumi.export("graceToken", member.token_value)
pulumi.export("statuses", team.statuses)
pulumi.export("serverStatus", server.status)
pulumi.export("rows", table.num_rows)
